import { moves } from './transition.ts'

/**
 * SQL for the next state of a notification `n`, generated from `transition`; null when nothing changes.
 * @param report relation with the reported `status`
 * @param ownAttempt SQL condition: whether the report belongs to the current attempt
 */
export function nextStatusSql(report: string, ownAttempt: string): string {
  const cases = moves.map(({ from, report: status, ownAttempt: own, to }) => {
    const condition = `n.status = '${from}' and ${report}.status = '${status}'${own ? ` and ${ownAttempt}` : ''}`
    return `when ${condition} then '${to}'`
  })
  return `case ${cases.join(' ')} end`
}
