import { dispatchAuditRecorded, type Id, newId, type Route, type TestMessage } from '@notify/contracts'
import { column, defineStatement, idempotent, inProgress, recordAudit } from '@notify/database'
import { type Handler, type HttpRequest, Reply } from '@notify/service-kit'
import { type ComposedTest, composeTest, type Test, type TestContext } from './compose-test.ts'
import { noAnswer } from './create-test-sends.ts'

/** What the record of a key holds from before the call until the answer. */
interface Sending {
  startedAt: string
  /** Taken as the answer once the call must have ended: longer than a carrier is waited for, even after a standstill. */
  answer: TestMessage
}

const readTime = defineStatement({
  name: 'read-time',
  text: `select clock_timestamp()::text as now, clock_timestamp() < $1::timestamptz + interval '15 seconds' as may_be_sending`,
  columns: { now: column.text(), may_be_sending: column.boolean().nullable() },
})

/**
 * Makes the handler of a POST that sends one message through a carrier at once, without a notification: no row, no credits,
 * and receipts change nothing. With an Idempotency-Key nothing is sent twice: after the end of a process, the outcome is unknown.
 */
export const sendTest = <R extends Route>(
  describe: (context: TestContext, request: HttpRequest<R>) => Promise<Test>,
): Handler<TestContext, R> =>
  idempotent<TestContext, R, ComposedTest | TestMessage>({
    async prepare(context, request, done) {
      if (done === undefined) return composeTest(context, await describe(context, request))
      const { startedAt, answer }: Sending = JSON.parse(done)
      const [time] = await context.db.run(readTime, [startedAt])
      if (time!.may_be_sending) throw inProgress()
      return answer
    },
    async effect(context, _request, run, prepared) {
      if ('is_test' in prepared) return replyOf(prepared)
      const { test, draft, provider, segments, locale } = prepared
      const { channel, request, applicationId, resource } = test
      context.requireTestRoom(request.principal.tenant_id)
      await recordAudit(run, dispatchAuditRecorded, {
        ...{ request, applicationId, action: resource.action, resourceId: resource.id, before: null },
        after: { channel, recipient_masked: draft.masked, provider_id: provider.id, locale },
      })
      const { outcome, code, message, providerMessageId } = noAnswer
      const [time] = await run(readTime, [null])
      const answer: TestMessage = {
        ...{ is_test: true, channel, recipient_masked: draft.masked, locale, outcome, code, message },
        ...{ provider_id: provider.id as Id<'prov'>, kind: provider.kind, provider_message_id: providerMessageId },
        ...{ sms_segments: segments, duration_ms: 0, sent_at: new Date().toISOString() },
      }
      const sending: Sending = { startedAt: time!.now, answer }
      return { done: JSON.stringify(sending), finish: () => callCarrier(context, prepared, answer) }
    },
  })

async function callCarrier(
  context: TestContext,
  { payload, rules, provider }: ComposedTest,
  unanswered: TestMessage,
): Promise<Reply> {
  context.wakeOutbox()
  const started = performance.now()
  const ids = { notificationId: newId('notif'), attemptId: newId('att') }
  const message = { ...(rules.marked?.(payload) ?? payload), ...ids, mode: 'live' as const, traceparent: undefined }
  const { outcome, code, message: text, providerMessageId } = await context.callCarrier(provider, message)
  return replyOf({
    ...{ ...unanswered, outcome, code, message: text, provider_message_id: providerMessageId },
    duration_ms: Math.round(performance.now() - started),
    sent_at: new Date().toISOString(),
  })
}

const replyOf = (answer: TestMessage): Reply => new Reply(200, JSON.stringify(answer))
