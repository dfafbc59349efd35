import crypto from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { servedBy } from './http.ts'

/** Serves the OpenAPI description, made from the shared endpoint declarations, and a page at `/docs` to read it. */
export function docsRoutes(app: FastifyInstance): void {
  let document: { body: string; etag: string } | undefined
  app.get('/docs/openapi.json', async (request, reply) => {
    // Built once: no route is added later, and building takes as long as a hundred requests.
    document ??= withEtag(openApi(app))
    reply.headers({ 'cache-control': 'no-cache', etag: document.etag })
    if (request.headers['if-none-match']?.includes(document.etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(document.body)
  })
  app.get('/docs', async (_request, reply) => reply.type('text/html; charset=utf-8').send(renderPage(app)))
}

function withEtag(description: object) {
  const body = JSON.stringify(description)
  return { body, etag: `"${crypto.hash('sha256', body, 'base64url').slice(0, 22)}"` }
}

function openApi(app: FastifyInstance) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of servedBy.get(app) ?? []) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    const isBodied = endpoint.method !== 'GET' && endpoint.method !== 'DELETE'
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: {
        summary: endpoint.summary,
        'x-permission': endpoint.permission,
        ...(endpoint.permission === 'public' ? {} : { security: [{ bearer: [] }] }),
        parameters: [...parameters(endpoint.params, 'path'), ...parameters(endpoint.query, 'query')],
        ...(isBodied
          ? { requestBody: { content: { 'application/json': { schema: toJsonSchema(endpoint.body, 'input') } } } }
          : {}),
        responses: {
          200: {
            description: 'OK',
            content: { [endpoint.fileType ?? 'application/json']: { schema: toJsonSchema(endpoint.reply, 'output') } },
          },
          429: { description: 'Too many requests. `Retry-After` says when to try again.' },
        },
      },
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Recoup', version: '1' },
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  }
}

const toJsonSchema = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' })

function parameters(schema: z.ZodType, place: 'path' | 'query') {
  const json = toJsonSchema(schema, 'input') as { properties?: Record<string, unknown>; required?: string[] }
  return Object.entries(json.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (json.required ?? []).includes(name),
    schema: property,
  }))
}

function renderPage(app: FastifyInstance): string {
  const rows = (servedBy.get(app) ?? []).map(
    (endpoint) =>
      `<tr><td><code>${endpoint.method}</code></td><td><code>${endpoint.path}</code></td><td>${endpoint.summary}</td><td>${endpoint.permission}</td></tr>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Recoup API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{font:16px/1.5 system-ui;margin:2rem auto;max-width:70rem;padding:0 1rem;color-scheme:light dark}td,th{text-align:left;padding:.3rem .8rem;border-bottom:1px solid #8884;vertical-align:top}div{overflow-x:auto}</style>
</head><body><h1>Recoup API</h1><p>The whole description: <a href="/docs/openapi.json">openapi.json</a>. Sign in with <code>Authorization: Bearer …</code>.</p>
<div><table><thead><tr><th>Method</th><th>Path</th><th>What it does</th><th>Permission</th></tr></thead><tbody>${rows.join('')}</tbody></table></div></body></html>`
}
