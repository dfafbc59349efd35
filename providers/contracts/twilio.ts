import { createSandboxContents } from '../phone/contents.ts'
import { type Network, openNetwork } from '../phone/network.ts'
import type { Line } from '../phone/texts.ts'
import { handleTwilioRequest } from '../phone/twilio-api.ts'
import { type ApiAnswer, type ApiRequest, readRequest } from '../phone/web-api.ts'
import { serve } from './serve.ts'

// Twilio's API as the phone sandbox implements it, with failures that tests can request. Requests are checked by the
// same rules.

export interface ContractServer {
  url: string
  network: Network
  seen: ApiRequest[]
  /** Replies before anything else. `hang`: accepts the request and sends nothing. undefined: handle the request. */
  intercept: (request: ApiRequest) => ApiAnswer | 'hang' | 'cut' | undefined
  close(): Promise<void>
}

export interface ContractOptions {
  now?: () => Date
  publicUrl?: string
  lines: Line[]
  senders?: readonly string[] | null
}

export const openContractTwilio = (options: ContractOptions): Promise<ContractServer> => {
  const contents = createSandboxContents(options.publicUrl ?? 'https://recoup.example')
  return openProvider(options, (network, request) =>
    handleTwilioRequest({ network, contents, senders: options.senders ?? null }, request),
  )
}

export async function openProvider(
  { lines, now = () => new Date() }: ContractOptions,
  answer: (network: Network, request: ApiRequest) => ApiAnswer | null,
): Promise<ContractServer> {
  const network = openNetwork({ dataFile: ':memory:', paceMs: null, now })
  for (const line of lines) network.texts.saveLine(line)
  const provider = { url: '', network, seen: [], intercept: () => undefined } as unknown as ContractServer
  const server = await serve((request, reply) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      const read = readRequest(request.method!, request.url!, request.headers, body)
      provider.seen.push(read)
      const early = provider.intercept(read)
      if (early === 'hang') return
      if (early === 'cut') return request.socket.destroy()
      const response = early ?? answer(network, read) ?? { status: 404, body: {} }
      reply.writeHead(response.status, { 'content-type': 'application/json', ...response.headers })
      reply.end(JSON.stringify(response.body))
    })
  })
  provider.url = `http://127.0.0.1:${server.port}`
  provider.close = async () => {
    await server.close()
    await network.stop()
  }
  return provider
}
