import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Budget = Record<string, Record<string, number>>

const file = join(import.meta.dirname, 'budget.json')

/** Bytes of a message hardly vary between runs. Nor do its row versions, because those of batches are left out. */
const leastTolerance = 0.05
/** Work per batch varies: batches form by chance, and on a busy machine they are smaller. */
const tolerances: Record<string, number> = {
  wal_bytes: 0.08,
  updates_not_hot: 0.25,
  statements: 0.5,
  plans: 1,
  stored: 0.5,
  delivered: 0.5,
  nats_in: 0.5,
  nats_out: 0.5,
  calls: 0.5,
  switches: 0.7,
  writes: 0.35,
  transactions_idle: 0.1,
  statements_idle: 0.1,
  switches_idle: 0.2,
}

/** Prints each count outside its budget. A count above it fails the process. */
export function compareWithBudget(found: Budget): void {
  const budget = JSON.parse(readFileSync(file, 'utf8')) as Budget
  const lines = Object.entries(found).flatMap(([channel, counts]) =>
    Object.entries(counts).flatMap(([kind, value]) =>
      differenceOf(`${channel} ${kind}`, budget[channel]?.[kind], value, tolerances[kind]),
    ),
  )
  console.log(lines.length > 0 ? lines.join('\n') : 'all counts are within the budget')
}

function differenceOf(name: string, allowed: number | undefined, value: number, tolerance = leastTolerance): string[] {
  if (allowed === undefined) return [`${name} is not in the budget: npm run bench budget -- --write`]
  const change = `${name}: from ${allowed} to ${value}`
  if (value > allowed * (1 + tolerance)) {
    process.exitCode = 1
    return [`GREW ${change}, more than ${Math.round(tolerance * 100)} %`]
  }
  if (value < allowed * (1 - tolerance)) return [`less ${change}: npm run bench budget -- --write keeps it`]
  return []
}

/** Replaces the figures of the channels that were measured. */
export function writeBudget(found: Budget): void {
  const budget = { ...(JSON.parse(readFileSync(file, 'utf8')) as Budget), ...found }
  writeFileSync(file, `${JSON.stringify(budget, null, 2)}\n`)
}
