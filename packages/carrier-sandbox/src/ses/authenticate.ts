import { createHash, timingSafeEqual } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import type { SesAccount, SesCaller } from './account.ts'
import { errors, type SesError, sendError } from './errors.ts'
import { dateOf, type Scope, signatureOf } from './signature-of.ts'

/** How far a request's clock may be off. */
const skewMs = 5 * 60_000

const mismatch =
  'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.'

/** Lets a request through when its Signature Version 4 is right; the caller is in `res.locals.caller` then. */
export function authenticate(accounts: readonly SesAccount[]): RequestHandler {
  const byKeyId = new Map(accounts.map((account) => [account.accessKeyId, account]))
  return async (req, res, next) => {
    const judged = await judge(byKeyId, req, Date.now())
    if ('status' in judged) return sendError(res, judged)
    res.locals.caller = judged
    next()
  }
}

async function judge(
  accounts: ReadonlyMap<string, SesAccount>,
  req: Request,
  nowMs: number,
): Promise<SesCaller | SesError> {
  const authorization = req.headers.authorization
  if (!authorization) return errors.missingAuthentication()
  const read = readAuthorization(authorization, req.get('x-amz-date'))
  if ('status' in read) return read
  const account = accounts.get(read.accessKeyId)
  if (!account) return errors.unrecognizedClient()
  if (read.scope.service !== 'ses') {
    return errors.invalidSignature("Credential should be scoped to correct service: 'ses'.")
  }
  const fault = faultOfTime(read.scope, nowMs)
  if (fault) return errors.invalidSignature(fault)
  const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0)
  const declared = req.get('x-amz-content-sha256')
  if (declared && declared !== createHash('sha256').update(body).digest('hex')) return errors.invalidSignature(mismatch)
  const header = (name: string) => req.headersDistinct[name]?.join(',')
  const request = { method: req.method, target: req.originalUrl, header, body }
  const expected = Buffer.from(await signatureOf(request, read.scope, account.secretAccessKey))
  const given = Buffer.from(read.signature)
  const isRight = given.length === expected.length && timingSafeEqual(given, expected)
  return isRight ? { account, region: read.scope.region } : errors.invalidSignature(mismatch)
}

function readAuthorization(
  authorization: string,
  time: string | undefined,
): { accessKeyId: string; scope: Scope; signature: string } | SesError {
  const fields = Object.fromEntries(
    authorization
      .replace(/^AWS4-HMAC-SHA256\s+/, '')
      .split(',')
      .map((part) => part.trim().split(/=(.*)/, 2)),
  ) as Record<string, string | undefined>
  const missing = ['Credential', 'SignedHeaders', 'Signature'].filter((name) => !fields[name])
  if (!authorization.startsWith('AWS4-HMAC-SHA256 ') || missing.length > 0) {
    return errors.incompleteSignature(
      `Authorization header requires the algorithm AWS4-HMAC-SHA256 and the parameters Credential, SignedHeaders and Signature.`,
    )
  }
  const [accessKeyId = '', date = '', region = '', service = '', end] = (fields.Credential ?? '').split('/')
  if (end !== 'aws4_request') {
    return errors.incompleteSignature(
      'Credential must have exactly 5 slash-delimited elements that end in aws4_request.',
    )
  }
  if (!time) return errors.incompleteSignature("Authorization header requires existence of an 'X-Amz-Date' header.")
  const signedHeaders = (fields.SignedHeaders ?? '').split(';')
  if (!signedHeaders.includes('host') || !signedHeaders.includes('x-amz-date')) {
    return errors.invalidSignature("'Host' and 'X-Amz-Date' must be signed headers in the Authorization header.")
  }
  return { accessKeyId, scope: { time, date, region, service, signedHeaders }, signature: fields.Signature ?? '' }
}

function faultOfTime({ time, date }: Scope, nowMs: number): string | undefined {
  const signedMs = dateOf(time).getTime()
  if (Number.isNaN(signedMs)) return 'Date must be in ISO-8601 basic format.'
  if (!time.startsWith(date)) return 'Date in Credential scope does not match the date of the request.'
  if (signedMs < nowMs - skewMs) return `Signature expired: ${time} is more than 5 min. in the past.`
  if (signedMs > nowMs + skewMs) return `Signature not yet current: ${time} is more than 5 min. in the future.`
  return undefined
}
