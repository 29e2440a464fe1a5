import { join } from 'node:path'
import { build } from 'esbuild'

/** Bundles the page's script, React included, and its style sheet. */
export async function bundlePage(): Promise<{ script: Uint8Array; style: Uint8Array }> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'inbox-page', 'page.tsx')],
    outdir: 'unused',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  })
  const contents = (ending: string) => {
    const file = outputFiles.find(({ path }) => path.endsWith(ending))
    if (!file) throw new Error(`the bundle has no ${ending} file`)
    return file.contents
  }
  return { script: contents('.js'), style: contents('.css') }
}
