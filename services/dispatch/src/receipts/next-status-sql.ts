import { moves } from './transition.ts'

/**
 * SQL for the next state of a notification `n`, null when nothing changes: `transition` written out.
 * @param report relation with the `status` reported
 * @param ownAttempt SQL condition: whether the report is of the attempt that the state speaks of
 */
export function nextStatusSql(report: string, ownAttempt: string): string {
  const cases = moves.map(({ from, report: status, ownAttempt: own, to }) => {
    const condition = `n.status = '${from}' and ${report}.status = '${status}'${own ? ` and ${ownAttempt}` : ''}`
    return `when ${condition} then '${to}'`
  })
  return `case ${cases.join(' ')} end`
}
