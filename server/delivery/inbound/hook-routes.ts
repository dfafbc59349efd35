import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Routes } from '../../access/http/public.ts'
import type { Deps } from '../../deps.ts'
import * as hooks from './hooks.ts'

// Webhooks of Twilio and Meta, in a scope of its own so that only these routes get unparsed bodies.

export const channelHookRoutes: Routes = (app, deps) => {
  app.register(async (scope) => routes(scope, deps))
}

function routes(scope: FastifyInstance, deps: Deps): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 1_000_000 }, (_request, body, done) =>
    done(null, body),
  )
  const twilio = '/api/webhooks/twilio/:hookKey'
  scope.post(`${twilio}/status/:messageId`, async (request, reply) => {
    const { messageId } = request.params as { messageId: string }
    await hooks.takeTwilioStatus(deps, { ...getHookCall(request, 'x-twilio-signature'), messageId })
    return reply.code(204).send()
  })
  scope.post(`${twilio}/inbound`, async (request, reply) => {
    const answer = await hooks.takeTwilioInbound(deps, getHookCall(request, 'x-twilio-signature'))
    return reply.type('text/xml').send(answer)
  })
  const meta = '/api/webhooks/whatsapp/:hookKey'
  scope.get(meta, async (request, reply) => {
    const challenge = await hooks.shakeHands(deps, getHookKey(request), hooks.Handshake.parse(request.query))
    return reply.type('text/plain').send(challenge)
  })
  scope.post(meta, async (request) => {
    await hooks.takeMetaNews(deps, getHookCall(request, 'x-hub-signature-256'))
    return { received: true }
  })
}

const getHookKey = (request: FastifyRequest): string => (request.params as { hookKey: string }).hookKey

function getHookCall(request: FastifyRequest, header: string): hooks.HookCall {
  return {
    hookKey: getHookKey(request),
    path: request.url,
    rawBody: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    signature: String(request.headers[header] ?? ''),
  }
}
