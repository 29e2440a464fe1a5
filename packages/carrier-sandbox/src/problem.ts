import type { Response } from 'express'

/**
 * Answers with problem details; carriers' own paths answer in their carrier's shape instead.
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export function sendProblem(res: Response, status: number, code: string, detail: string): void {
  res
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ status, code, title: code.replaceAll('_', ' '), detail }))
}
