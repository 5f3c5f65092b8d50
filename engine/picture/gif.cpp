// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gif_lib.h>
#include <map>
#include <memory>
#include <set>
#include "picture/raster.h"

namespace ww::picture {
namespace {

constexpr int most_colours = 256, bits_of_colour = 8;

struct Indexed {
  std::vector<GifColorType> colours;
  std::vector<GifPixelType> pixels;
};

std::uint32_t key_of(Colour c) {
  return std::uint32_t{c.red} << 16 | std::uint32_t{c.green} << 8 | std::uint32_t{c.blue};
}

// With its own colours or, where these are too many, the nearest of a fixed set.
Indexed indexed(const Raster& raster) {
  std::set<std::uint32_t> colours;
  for (const Colour c : raster.pixels) colours.insert(key_of(c));
  Indexed out;
  const auto part = [](std::uint32_t key, int shift) { return static_cast<GifByteType>(key >> shift & 0xff); };
  if (colours.size() <= most_colours) {
    for (const std::uint32_t key : colours) out.colours.push_back({part(key, 16), part(key, 8), part(key, 0)});
  } else {
    constexpr int fine = 8, coarse = 4;  // levels: of blue the eye sees the fewest
    const auto level = [](int i, int of) { return static_cast<GifByteType>(255 * i / (of - 1)); };
    for (int red = 0; red < fine; ++red)
      for (int green = 0; green < fine; ++green)
        for (int blue = 0; blue < coarse; ++blue)
          out.colours.push_back({level(red, fine), level(green, fine), level(blue, coarse)});
  }
  const auto nearest = [&](std::uint32_t key) {
    int best = 0, least = 1 << 20;
    for (int i = 0; i < static_cast<int>(out.colours.size()); ++i) {
      const GifColorType& c = out.colours[static_cast<std::size_t>(i)];
      const int red = c.Red - part(key, 16), green = c.Green - part(key, 8), blue = c.Blue - part(key, 0);
      const int distance = red * red + green * green + blue * blue;
      if (distance < least) best = i, least = distance;
    }
    return static_cast<GifPixelType>(best);
  };
  std::map<std::uint32_t, GifPixelType> index;
  for (const std::uint32_t colour : colours) index[colour] = nearest(colour);
  out.pixels.reserve(raster.pixels.size());
  for (const Colour c : raster.pixels) out.pixels.push_back(index.at(key_of(c)));
  out.colours.resize(most_colours);
  return out;
}

int append(GifFileType* gif, const GifByteType* bytes, int count) {
  static_cast<std::string*>(gif->UserData)
      ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  return count;
}

struct Close {
  void operator()(GifFileType* gif) const {
    int error = 0;
    EGifCloseFile(gif, &error);
  }
};

bool put_repeat(GifFileType* gif) {
  const GifByteType forever[] = {1, 0, 0};
  return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
         EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
         EGifPutExtensionBlock(gif, sizeof forever, forever) == GIF_OK && EGifPutExtensionTrailer(gif) == GIF_OK;
}

bool put_frame(GifFileType* gif, const Raster& raster, int delay) {
  Indexed frame = indexed(raster);
  const std::unique_ptr<ColorMapObject, void (*)(ColorMapObject*)> colours(
      GifMakeMapObject(most_colours, frame.colours.data()), GifFreeMapObject);
  GraphicsControlBlock control{DISPOSE_DO_NOT, false, delay, NO_TRANSPARENT_COLOR};
  GifByteType extension[4];
  EGifGCBToExtension(&control, extension);
  if (!colours || EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof extension, extension) != GIF_OK ||
      EGifPutImageDesc(gif, 0, 0, raster.width, raster.height, false, colours.get()) != GIF_OK)
    return false;
  for (int y = 0; y < raster.height; ++y)
    if (EGifPutLine(gif, frame.pixels.data() + std::ptrdiff_t{y} * raster.width, raster.width) != GIF_OK) return false;
  return true;
}

}  // namespace

Result<std::string> gif_of(std::span<const Raster> frames, int hundredths_of_a_second) {
  constexpr int most_side = 0xffff;
  if (frames.empty()) return fail(Code::invalid_argument, "an animation has at least one frame");
  for (const Raster& f : frames)
    if (f.pixels.empty() || f.pixels.size() > static_cast<std::size_t>(most_pixels) || f.width > most_side ||
        f.height > most_side || f.width != frames[0].width || f.height != frames[0].height)
      return fail(Code::invalid_argument, "an animation's frames have one size, of at most " +
                                              std::to_string(most_pixels) + " pixels and sides of " +
                                              std::to_string(most_side));
  std::string out;
  int error = 0;
  std::unique_ptr<GifFileType, Close> gif(EGifOpen(&out, append, &error));
  const auto failed = [&] {
    const char* const why = GifErrorString(gif ? gif->Error : error);
    return fail(Code::internal, "the animation cannot be written as GIF", why == nullptr ? "" : why);
  };
  if (!gif) return failed();
  EGifSetGifVersion(gif.get(), true);
  if (EGifPutScreenDesc(gif.get(), frames[0].width, frames[0].height, bits_of_colour, 0, nullptr) != GIF_OK ||
      (frames.size() > 1 && !put_repeat(gif.get())))
    return failed();
  for (const Raster& f : frames)
    if (!put_frame(gif.get(), f, hundredths_of_a_second)) return failed();
  if (EGifCloseFile(gif.release(), &error) != GIF_OK) return failed();
  return out;
}

}  // namespace ww::picture
