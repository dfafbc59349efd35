import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { mapErrors } from './http.ts'

test.each([
  ['22021', 400, 'invalid'],
  ['22P05', 400, 'invalid'],
  ['22003', 400, 'invalid'],
  ['22P02', 400, 'invalid'],
  ['23503', 404, 'not_found'],
  ['23505', 409, 'conflict'],
  ['53100', 503, 'unavailable'],
  ['57P01', 503, 'unavailable'],
  ['42703', 500, 'internal'],
])('maps PostgreSQL’s error %s to %i %s', async (state, status, code) => {
  const app = Fastify()
  mapErrors(app)
  app.get('/', async () => {
    throw Object.assign(new Error('as PostgreSQL says it'), { code: state })
  })
  const answer = await app.inject('/')
  expect(answer.statusCode).toBe(status)
  expect(answer.json()).toMatchObject({ code, error: expect.not.stringContaining('PostgreSQL') })
})
