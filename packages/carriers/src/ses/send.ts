import {
  type SESv2Client,
  SESv2ServiceException,
  SendEmailCommand,
  type SendEmailCommandInput,
} from '@aws-sdk/client-sesv2'
import { withoutAddresses } from '@notify/privacy'
import type { CarrierAnswer } from '../carrier-answer.ts'
import { createClientCache } from '../client-cache.ts'
import { formatMailbox } from '../format-mailbox.ts'
import type { Correlation, EmailMessage } from '../messages.ts'
import { readRetryAfter } from '../retry-after.ts'
import type { Sender, SenderDefinition, SenderOptions } from '../sender.ts'
import { accepted, couldNotBeReached, didNotAnswer, isNotWritable, notBegun, refusal } from '../verdict.ts'
import { checkAccount } from './check.ts'
import { createSesClient } from './client.ts'
import type { SesCredentials } from './credentials.ts'
import type { SesEnvironment } from './environment.ts'
import { judgeSesError } from './exceptions.ts'
import { sesIdentities } from './identities.ts'

type Options = SenderOptions<SesEnvironment>

export const sesSender: SenderDefinition<SesCredentials, EmailMessage, SesEnvironment> = {
  createSender: createSesSender,
  identities: sesIdentities,
  check: checkAccount,
}

/** Sends email through the Amazon SES API (v2), with one client per account. */
export function createSesSender(options: Options): Sender<SesCredentials, EmailMessage> {
  const { timeoutMs, maxConnections } = options
  const clients = createClientCache<SESv2Client>((client) => client.destroy())
  return {
    async send(account, message) {
      const endpoint = message.mode === 'test' ? `${options.sandboxUrl}/ses` : options.environment.SES_API_URL
      const client = clients.of(account, endpoint ?? '', () =>
        createSesClient(account.credentials, { endpoint, timeoutMs, maxConnections }),
      )
      const command = new SendEmailCommand(inputOf(account.id, account.credentials, message))
      const { traceparent } = message
      let begun = false
      command.middlewareStack.add(
        (next) => (args) => {
          begun = true
          return next(args)
        },
        // The last step before the connection.
        { step: 'deserialize', priority: 'low', name: 'begun' },
      )
      if (traceparent) {
        command.middlewareStack.add(
          (next) => (args) => {
            Object.assign((args.request as { headers: Record<string, string> }).headers, { traceparent })
            return next(args)
          },
          { step: 'build', name: 'traceparent' },
        )
      }
      try {
        const { MessageId } = await client.send(command)
        return accepted(MessageId ?? null)
      } catch (error) {
        return begun && !isNotWritable(error) ? answerOf(error, message.to) : notBegun(error)
      }
    },
    close: () => clients.close(),
  }
}

/** The request, with tags that SES returns in every event (`mail.tags`). */
function inputOf(
  providerId: string,
  credentials: SesCredentials,
  message: EmailMessage & Correlation,
): SendEmailCommandInput {
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })
  const { to, to_name, subject, text, html, traceparent } = message
  return {
    FromEmailAddress: formatMailbox(message.from ?? credentials.from, message.from_name ?? credentials.from_name),
    Destination: { ToAddresses: [formatMailbox(to, to_name)] },
    Content: {
      Simple: {
        Subject: utf8(subject),
        Body: {
          ...(text === undefined ? {} : { Text: utf8(text) }),
          ...(html === undefined ? {} : { Html: utf8(html) }),
        },
      },
    },
    EmailTags: [
      { Name: 'notification_id', Value: message.notificationId },
      { Name: 'attempt_id', Value: message.attemptId },
      { Name: 'provider_id', Value: providerId },
      ...(traceparent ? [{ Name: 'traceparent', Value: traceparent }] : []),
    ],
    ...(credentials.configuration_set ? { ConfigurationSetName: credentials.configuration_set } : {}),
  }
}

interface SdkError {
  name?: string
  message?: string
  code?: string
  hasLeft?: boolean
  $metadata?: { httpStatusCode?: number }
  $response?: { headers?: Record<string, string> }
}

/** Classifies a failed call: permanent, retryable or unknown. */
function answerOf(error: unknown, to: string): CarrierAnswer {
  const { name = 'Error', message = '', code, hasLeft, $metadata, $response } = error as SdkError
  const status = $metadata?.httpStatusCode
  // An unreadable 2xx: the message may have been accepted.
  if (status !== undefined && status >= 300) {
    const verdict = judgeSesError(status, name)
    const isNamed = error instanceof SESv2ServiceException && !/^(Unknown|UnknownError|Error)$/.test(name)
    const ownWord = isNamed ? name : `http_${status}`
    const sentence = isNamed && message ? withoutAddresses(message, [to]) : `Amazon SES answered ${status}`
    return refusal(ownWord, verdict, `${ownWord} ${sentence}`, readRetryAfter($response?.headers?.['retry-after']))
  }
  const reason = code ?? name
  return refusal(reason, hasLeft === false ? couldNotBeReached : didNotAnswer, null)
}
