import { existsSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { asciiOnly } from './ascii-only.ts'
import { common, root } from './bundle-options.ts'
import { catalogueApart } from './catalogue-apart.ts'
import { images } from './images.ts'
import { leaveOut } from './leave-out.ts'
import { licencesOf } from './licences.ts'
import { ownMappings } from './own-mappings.ts'
import { plainBuiltins } from './plain-builtins.ts'
import { relativePaths } from './relative-paths.ts'

export { imageNames } from './images.ts'

const options: BuildOptions = {
  ...common,
  sourcemap: true,
  // The sources are in the repository of the release.
  sourcesContent: false,
  minifySyntax: true,
  minifyWhitespace: true,
}

/**
 * Writes what the image of this name has in `/app`: a bundle of each program with its source map, the files that the programs read, and
 * the licences of the packages within.
 * @throws Error when there is no such image, or a source does not build
 */
export async function bundleImage(name: string, out: string): Promise<void> {
  const image = Object.hasOwn(images, name) ? images[name] : undefined
  if (!image) throw new Error(`there is no image ${name}; there are ${Object.keys(images).join(', ')}`)
  const { programs, files = {}, keepNames = false } = image
  const inputs = new Set<string>()
  for (const [file, source] of Object.entries(programs)) {
    for (const input of await bundleProgram({ source, file, out, keepNames })) inputs.add(input)
  }
  await writeFile(join(out, 'LICENSES.txt'), await licencesOf(root, inputs, Object.values(files)))
  await writeFile(join(out, 'package.json'), '{ "type": "module" }\n')
  for (const [target, source] of Object.entries(files)) {
    // The console is built apart, and the gateway works without it.
    if (existsSync(join(root, source))) await cp(join(root, source), join(out, target), { recursive: true })
  }
}

interface Program {
  source: string
  /** Its bundle, below `out`. */
  file: string
  out: string
  keepNames: boolean
}

async function bundleProgram({ source, file, out, keepNames }: Program): Promise<string[]> {
  const { outputFiles, metafile } = await build({
    ...options,
    write: false,
    metafile: true,
    keepNames,
    entryPoints: { [basename(file, extname(file))]: source },
    outdir: join(out, dirname(file)),
    outExtension: { '.js': extname(file) },
    plugins: [leaveOut(source), relativePaths(root, dirname(file)), asciiOnly, plainBuiltins, catalogueApart],
  })
  await mkdir(join(out, dirname(file)), { recursive: true })
  for (const { path, text } of outputFiles) await writeFile(path, path.endsWith('.map') ? ownMappings(text) : text)
  return Object.keys(metafile.inputs)
}
