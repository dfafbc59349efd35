import * as api from '../../shared/persons.ts'
import { type Routes, serveAccount } from '../http.ts'
import { erasePerson } from './erase.ts'
import { downloadPerson, preparePersonExport } from './export.ts'
import { describePerson, readErasure } from './find.ts'

export const personRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.readPerson, async ({ account, params }) => ({
    person: await describePerson(deps, account, params.address),
  }))

  serveAccount(app, deps, api.erasePerson, async ({ account, session, params, body, reply }) => {
    const erasure = await erasePerson(deps, { account, session }, { ...params, ...body })
    reply.code(202)
    return { erasure }
  })

  serveAccount(app, deps, api.exportPerson, ({ account, session, params, query }) =>
    preparePersonExport(deps, { account, session }, { ...params, ...query }),
  )

  app.get<{ Querystring: { ticket?: string } }>('/api/persons-export', async ({ query }, reply) => {
    const { fileName, type, content } = await downloadPerson(deps, query.ticket ?? '')
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .send(content)
  })

  serveAccount(app, deps, api.readErasure, async ({ account, params }) => ({
    erasure: await readErasure(account, params.erasureId),
  }))
}
