import { Router } from 'express'
import { z } from 'zod'
import { readBody, sendProblem } from '../problem.ts'
import { inboundChannels } from './channels/table.ts'
import type { InboundContext } from './inbound-channel.ts'

const [first, ...others] = Object.entries(inboundChannels).map(([channel, { body }]) =>
  body.extend({ channel: z.literal(channel) }),
)
const InboundRequest = z.discriminatedUnion('channel', [first!, ...others])

/** `POST /inbound`: simulates a message from a person, which the carrier reports to the service under test. */
export function inboundRoutes(context: InboundContext): Router {
  return Router().post('/inbound', (req, res) => {
    const request = readBody(req, res, InboundRequest)
    if (!request) return
    const channel = String(request.channel)
    const answer = inboundChannels[channel]!.receive(context, request)
    if ('missing' in answer) return sendProblem(res, 409, 'inbound_not_configured', answer.missing)
    res.status(202).json({ channel, ...answer })
  })
}
