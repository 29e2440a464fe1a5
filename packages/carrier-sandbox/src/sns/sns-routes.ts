import { type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { readBody, sendProblem } from '../problem.ts'
import type { Sns } from './sns.ts'
import type { Subscription } from './subscription.ts'

const topicArn = z.string().regex(/^arn:aws:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/, 'must be the ARN of an SNS topic')
const endpoint = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

/** The certificate, the addresses in the messages, and a way to subscribe without Amazon's own API. */
export function snsRoutes(sns: Sns, defaultTopicArn: string): Router {
  const CreateSubscription = z.strictObject({ topic_arn: topicArn.default(defaultTopicArn), endpoint })
  return Router()
    .get('/', actOnLink(sns))
    .get('/subscriptions', (_req, res) => {
      res.set('Cache-Control', 'no-store').json({ items: sns.subscriptions.map(subscriptionResource) })
    })
    .post('/subscriptions', (req, res) => {
      const body = readBody(req, res, CreateSubscription)
      if (!body) return
      const subscription = sns.subscribe(body.topic_arn, body.endpoint)
      if (!subscription.isConfirmed) void sns.askForConfirmation(subscription)
      res.status(201).json(subscriptionResource(subscription))
    })
    .get('/:fileName', async (req, res, next) => {
      if (!req.params.fileName.endsWith('.pem')) return next()
      const { fileName, certificate } = await sns.signingKey
      if (req.params.fileName !== fileName) return sendProblem(res, 404, 'not_found', 'There is no such certificate.')
      res.type('application/x-pem-file').send(certificate)
    })
}

/** `GET /sns/?Action=…`: what `SubscribeURL` and `UnsubscribeURL` point to. */
function actOnLink(sns: Sns): RequestHandler {
  return (req, res) => {
    const { Action: action, TopicArn, Token, SubscriptionArn } = req.query
    if (action === 'ConfirmSubscription') {
      const confirmed = sns.confirm(String(TopicArn), String(Token))
      if (!confirmed) return sendXmlError(res, 400, 'InvalidParameter', 'Invalid token')
      return sendXml(res, 200, `${action}Response`, `<SubscriptionArn>${confirmed.arn}</SubscriptionArn>`)
    }
    if (action === 'Unsubscribe') {
      if (!sns.unsubscribe(String(SubscriptionArn)))
        return sendXmlError(res, 404, 'NotFound', 'Subscription does not exist')
      return sendXml(res, 200, `${action}Response`, '')
    }
    sendXmlError(res, 400, 'InvalidAction', 'The action is not valid for this endpoint.')
  }
}

function subscriptionResource({ arn, topicArn, endpoint, isConfirmed }: Subscription) {
  return { subscription_arn: arn, topic_arn: topicArn, endpoint, status: isConfirmed ? 'confirmed' : 'pending' }
}

const namespace = 'http://sns.amazonaws.com/doc/2010-03-31/'

function sendXmlError(res: Response, status: number, code: string, message: string): void {
  sendXml(
    res,
    status,
    'ErrorResponse',
    `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`,
  )
}

/** `content` never contains input of a caller. */
function sendXml(res: Response, status: number, name: string, content: string): void {
  const result = name.endsWith('ErrorResponse')
    ? content
    : `<${name.replace('Response', 'Result')}>${content}</${name.replace('Response', 'Result')}>`
  res.status(status).type('text/xml').send(`<${name} xmlns="${namespace}">${result}</${name}>`)
}
