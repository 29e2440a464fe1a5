import { bundleImage } from './bundle-image.ts'

/** `node packages/bundle/src/main.ts <image> <folder>` */
const [, , image, out] = process.argv
if (!image || !out) {
  process.stderr.write('usage: node packages/bundle/src/main.ts <image> <folder>\n')
  process.exitCode = 1
} else await bundleImage(image, out)
