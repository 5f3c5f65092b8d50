// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <png.h>
#include "picture/raster.h"

namespace ww::picture {

static_assert(sizeof(Colour) == 3);

Result<std::string> png_of(const Raster& raster) {
  if (raster.pixels.empty() || raster.pixels.size() > static_cast<std::size_t>(most_pixels))
    return fail(Code::invalid_argument, "a picture has between 1 and " + std::to_string(most_pixels) + " pixels");
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(raster.width);
  image.height = static_cast<png_uint_32>(raster.height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t bytes = 0;
  std::string out;
  if (png_image_write_to_memory(&image, nullptr, &bytes, 0, raster.pixels.data(), 0, nullptr) != 0) {
    out.resize(bytes);
    if (png_image_write_to_memory(&image, out.data(), &bytes, 0, raster.pixels.data(), 0, nullptr) != 0) {
      out.resize(bytes);
      return out;
    }
  }
  return fail(Code::internal, "the picture cannot be written as PNG", image.message);
}

}  // namespace ww::picture
