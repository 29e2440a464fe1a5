import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installMissing, requireBinary } from '@notify/dev-env'

export interface Load {
  url: string
  headers: Record<string, string>
  body: string
  seconds: number
  connections: number
}

export interface Measured {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Responses other than 2xx. */
  refused: number
  /** Failed connections, and responses that took over 2 s. */
  broken: number
}

/** Checks that wrk is installed, which leaves nearly all CPU to the servers. */
export async function prepareLoad(onProgress: (text: string) => void): Promise<void> {
  await installMissing(['wrk'], { onProgress })
}

/** Repeats a POST on several connections, one request at a time on each. */
export async function runLoad({ url, headers, body, seconds, connections }: Load): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'notify-bench-load-'))
  try {
    const script = join(folder, 'load.lua')
    await writeFile(script, luaOf(headers, body), { mode: 0o600 })
    const { stdout } = await promisify(execFile)(requireBinary('wrk'), [
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '-s',
      script,
      url,
    ])
    return read(stdout)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function luaOf(headers: Record<string, string>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`)
  return `wrk.method = "POST"
wrk.body = ${quote(body)}
${lines.join('\n')}
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
`
}

/** JSON strings of plain text are valid Lua strings. */
function quote(text: string): string {
  return JSON.stringify(text)
}

function read(output: string): Measured {
  const match = /RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(output)
  if (!match) throw new Error(`cannot parse the output of wrk:\n${output}`)
  const [requests = 0, micros = 1, p50 = 0, p99 = 0, refused = 0, broken = 0] = match.slice(1).map(Number)
  return { requestsPerSecond: requests / (micros / 1e6), p50Ms: p50 / 1000, p99Ms: p99 / 1000, refused, broken }
}
