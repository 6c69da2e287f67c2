// NumPy's arrays as native code sees them: through the buffer protocol, and only if they are plainly good.

#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace continuarm {

namespace nb = nanobind;

// numpy.ndarray, looked up once.
inline PyTypeObject* array_type() {
    static PyObject* const type = nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr();
    return reinterpret_cast<PyTypeObject*>(type);
}

// A C-contiguous array of doubles, seen through the buffer protocol; not ok for anything else.
class View {
public:
    View() = default;
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    ~View() {
        if (held_) PyBuffer_Release(&buffer_);
    }

    bool open(PyObject* object, bool writable) {
        if (Py_TYPE(object) != array_type()) return false;  // a subclass may mean more than its numbers, as a mask does
        const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(object, &buffer_, flags) != 0) {
            PyErr_Clear();
            return false;
        }
        held_ = true;
        const char* format = buffer_.format;
        const std::uint16_t one = 1;  // files are often written and read back as "<d": the same here, if bytes run so
        if (format && format[0] == '<' && *reinterpret_cast<const unsigned char*>(&one) == 1) ++format;
        return buffer_.ndim >= 1 && format && format[0] == 'd' && format[1] == 0 && buffer_.itemsize == 8;
    }

    double* data() const { return static_cast<double*>(buffer_.buf); }
    int ndim() const { return buffer_.ndim; }
    const Py_ssize_t* shape() const { return buffer_.shape; }
    bool same_shape(const View& other) const {
        return ndim() == other.ndim() && std::equal(shape(), shape() + ndim(), other.shape());
    }

private:
    Py_buffer buffer_{};
    bool held_ = false;
};

// An array that must be one of so many doubles, or rows of them.
inline void require(View& view, nb::handle array, int axes, Py_ssize_t width, bool writable, const char* what) {
    if (!view.open(array.ptr(), writable) || view.ndim() != axes || view.shape()[axes - 1] != width)
        throw std::invalid_argument(std::string(what) + " must be an array of doubles of the right shape");
}

}  // namespace continuarm
