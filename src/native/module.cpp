// The private native core of goalward. The rooms register what they bind; everything that users see is the Python above.
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
    // Objects that are still referenced when the interpreter ends (by a notebook, by a cache) are no leaks worth a page of
    // warnings: the process ends and frees them.
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
