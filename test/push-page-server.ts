import { randomUUID } from 'node:crypto'
import http, { type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DEFAULT_PROMPT } from '../shared/delivery/push.ts'
import * as calls from '../shared/delivery/push-calls.ts'
import { WORKER_VERSION } from '../shared/delivery/push-worker-version.ts'

/** Posts have to match the contracts of our server. */
const contracts: Record<string, { body: { parse(body: unknown): unknown } }> = {
  'auto-setup': calls.pushAutoSetup,
  subscribe: calls.pushSubscribe,
  resubscribe: calls.pushResubscribe,
  unsubscribe: calls.pushUnsubscribe,
  events: calls.pushEvent,
}

export const createPushToken = () => `${randomUUID()}.${'t'.repeat(43)}`

/** A call that the widget or the worker has sent. */
export interface ReceivedCall {
  call: string
  origin: string | undefined
  type: string | undefined
  body: Record<string, unknown>
}

/**
 * Stands in for our server on a shop's pages: serves the scripts, records posts, and replies like the web push
 * endpoints.
 */
export async function openPushServer(scripts: Record<string, () => Buffer>) {
  const received: ReceivedCall[] = []
  const captured: Record<string, unknown>[] = []
  const state = {
    publicKey: '',
    refused: {} as Record<string, number>,
    workerUrl: '/?recoup-sw=1',
    workerVersion: WORKER_VERSION,
  }
  const answers: Record<string, () => object> = {
    'auto-setup': () => ({
      success: true,
      storeKey: 'KEY-1',
      publicKey: state.publicKey,
      workerUrl: state.workerUrl,
      workerVersion: state.workerVersion,
      prompt: { ...DEFAULT_PROMPT, text: 'We tell you of your cart.', wording: 'w-1' },
      askAgainDays: 30,
    }),
    subscribe: () => ({ success: true, token: createPushToken(), isCartKnown: true }),
    resubscribe: () => ({ success: true, token: createPushToken() }),
  }
  const take = (call: string | undefined, list: ReceivedCall, response: ServerResponse) => {
    if (!call) {
      captured.push(list.body)
      return response.writeHead(204).end()
    }
    contracts[call]!.body.parse(JSON.stringify(list.body))
    received.push(list)
    const json = { 'content-type': 'application/json', 'access-control-allow-origin': list.origin ?? '*' }
    return response
      .writeHead(state.refused[call] ?? 200, json)
      .end(JSON.stringify(answers[call]?.() ?? { success: true }))
  }
  const server = http.createServer(async (request, response) => {
    const path = request.url ?? ''
    if (request.method !== 'POST') {
      const name = Object.keys(scripts).find((each) => path.startsWith(each))
      const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' }
      return void response.writeHead(name ? 200 : 404, headers).end(name && scripts[name]!())
    }
    let text = ''
    for await (const chunk of request) text += chunk
    const { origin, 'content-type': type } = request.headers
    const call = /^\/api\/push-notifications\/([\w-]+)/.exec(path)?.[1]
    take(call, { call: call ?? 'capture', origin, type, body: JSON.parse(text) }, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  return { url, received, captured, state, close: () => server.close() }
}
