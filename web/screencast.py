"""Puts pictures together as a GIF: web/screencast.py FOLDER OUT. Run by web/pictures.mjs."""

import pathlib
import sys

from PIL import Image

WIDTH = 640
MILLISECONDS = 90  # of each picture
HOLD = 900  # of the last one
MOST = 3_000_000  # bytes


def main(folder: str, out: str) -> None:
    frames = []
    for path in sorted(pathlib.Path(folder).glob("*.png")):
        picture = Image.open(path).convert("RGB")
        size = (WIDTH, round(picture.height * WIDTH / picture.width))
        # Without dithering neighbours stay equal, which GIF stores in little.
        frames.append(picture.resize(size, Image.Resampling.LANCZOS).quantize(128, dither=Image.Dither.NONE))
    durations = [MILLISECONDS] * (len(frames) - 1) + [HOLD]
    frames[0].save(out, save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True)
    size = pathlib.Path(out).stat().st_size
    print(f"{out}: {len(frames)} pictures, {size / 2**20:.2f} MiB")
    if size > MOST:
        sys.exit(f"{out}: {size} bytes are more than {MOST}")


main(sys.argv[1], sys.argv[2])
