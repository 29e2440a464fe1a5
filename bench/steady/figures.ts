import type pg from 'pg'
import { type Counts, largest, total } from '../counts/counts.ts'
import { cpuMsByGroup, ofServices, ofSystem } from '../counts/cpu-groups.ts'
import { readStatements, type StatementCost } from '../counts/database-counts.ts'
import { roundTo } from '../statistics.ts'

/** Figures of one message, or of one second. */
export function figuresOf(counts: Counts): Record<string, unknown> {
  const of = (value: number, digits = 2) => roundTo(value, digits)
  return {
    cpu_ms: cpuMsByGroup(counts),
    cpu_us_by_process: largest(counts, 'cpu_us', 5, 0),
    transactions: of(total(counts, 'transactions')),
    statements: of(total(counts, 'statements')),
    plans: of(total(counts, 'plans')),
    statement_us: of(total(counts, 'statement_us'), 0),
    wal_bytes: of(total(counts, 'wal_bytes'), 0),
    row_versions: of(total(counts, 'inserts') + total(counts, 'updates') + total(counts, 'deletes')),
    stored: of(total(counts, 'stored')),
    delivered: of(total(counts, 'delivered')),
    nats_in: of(total(counts, 'nats_in')),
    nats_out: of(total(counts, 'nats_out')),
    calls: of(total(counts, 'calls')),
    switches: of(ofSystem(counts, 'switches'), 1),
    writes: of(ofServices(counts, 'writes'), 1),
    statements_by_role: largest(counts, 'statements', 0.01, 2),
    switches_by_process: largest(counts, 'switches', 0.05, 1),
    writes_by_process: largest(counts, 'writes', 0.05, 1),
  }
}

/** Prints figures one a line, those by name in one line. */
export function printFigures(title: string, figures: Record<string, unknown>): void {
  console.log(`\n${title}:`)
  for (const [name, value] of Object.entries(figures)) {
    const isList = typeof value === 'object' && value !== null
    const text = isList ? Object.entries(value).map(([key, one]) => `${key} ${one}`) : [String(value)]
    console.log(`  ${name.padEnd(20)} ${text.join('; ')}`)
  }
}

const listed = Number(process.env.BENCH_STATEMENTS ?? 0)

/** With BENCH_STATEMENTS=10: the ten most frequent and the ten most expensive statements, per message or per second. */
export async function printStatements(database: pg.Pool, divisor: number): Promise<void> {
  if (listed === 0) return
  const statements = await readStatements(database)
  const print = (title: string, of: (one: StatementCost) => number) => {
    console.log(`  ${title}: calls, ms, ms each`)
    for (const one of statements.toSorted((a, b) => of(b) - of(a)).slice(0, listed)) {
      const { role, calls, ms, query } = one
      const numbers = [calls / divisor, ms / divisor, ms / calls].map((value) => value.toFixed(3).padStart(8))
      console.log(`  ${numbers.join(' ')} ${role}: ${query.slice(0, 300)}`)
    }
  }
  print('statements by calls', ({ calls }) => calls)
  print('statements by time', ({ ms }) => ms)
}
