import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { CapturePost } from '../shared/carts/capture.ts'

/** Stands in for our server on a shop's pages: serves the capture script and records its posts. */
export async function openCaptureServer(script: () => Buffer | string) {
  const posts: { origin: string | undefined; type: string | undefined; body: CapturePost }[] = []
  const server = http.createServer((request, response) => {
    if (request.method !== 'POST') return void response.setHeader('content-type', 'text/javascript').end(script())
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const { origin, 'content-type': type } = request.headers
      posts.push({ origin, type, body: CapturePost.parse(JSON.parse(text)) })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, posts, close: () => server.close() }
}
