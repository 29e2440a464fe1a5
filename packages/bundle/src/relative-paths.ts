import { readFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import type { Plugin } from 'esbuild'

/**
 * Sources find files beside them by `import.meta`. In a bundle it is that of the bundle, so each use becomes the source's own place,
 * relative to the bundle: the image keeps such files where the workspace has them.
 * @param outFolder the bundle's folder, in the layout of the workspace
 */
export function relativePaths(root: string, outFolder: string): Plugin {
  return {
    name: 'relative-paths',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const contents = await readFile(path, 'utf8')
        if (path.includes('/node_modules/') || !/import\.meta\.(url|dirname)/.test(contents)) return null
        const place = (file: string) => JSON.stringify(`./${relative(outFolder, relative(root, file))}`)
        return {
          loader: 'ts',
          contents: contents
            .replaceAll('import.meta.url', `new URL(${place(path)}, import.meta.url).href`)
            .replaceAll('import.meta.dirname', `decodeURI(new URL(${place(dirname(path))}, import.meta.url).pathname)`),
        }
      })
    },
  }
}
