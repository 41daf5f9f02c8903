// The private native core of goalward. Each room registers its bindings; users use the Python packages.
#include <nanobind/nanobind.h>

namespace goalward {
void register_task(nanobind::module_& m);
void register_evaluators(nanobind::module_& m);
void register_search(nanobind::module_& m);
void register_landmarks(nanobind::module_& m);
void register_improve(nanobind::module_& m);
void register_regression(nanobind::module_& m);
void register_sampling(nanobind::module_& m);
void register_learning(nanobind::module_& m);
}  // namespace goalward

NB_MODULE(_core, m) {
    // No warnings about objects that are still referenced when the interpreter exits, for example by a cache.
    nanobind::set_leak_warnings(false);
    m.doc() = "Native inner loops of goalward; use the Python packages above it.";
    goalward::register_task(m);
    goalward::register_evaluators(m);
    goalward::register_search(m);
    goalward::register_landmarks(m);
    goalward::register_improve(m);
    goalward::register_regression(m);
    goalward::register_sampling(m);
    goalward::register_learning(m);
}
