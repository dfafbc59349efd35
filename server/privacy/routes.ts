import * as api from '../../shared/privacy.ts'
import { type Routes, serveAccount, serveDownload } from '../http/http.ts'
import { eraseDataSubject } from './erase.ts'
import { dataSubjectDownload, prepareDataSubjectExport } from './export.ts'
import { describeDataSubject, readErasure } from './find.ts'

export const privacyRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.readDataSubject, async ({ account, params }) => ({
    person: await describeDataSubject(deps, account, params.address),
  }))

  serveAccount(app, deps, api.eraseDataSubject, async ({ account, session, params, body, reply }) => {
    const erasure = await eraseDataSubject(deps, { account, session }, { ...params, ...body })
    reply.code(202)
    return { erasure }
  })

  serveAccount(app, deps, api.exportDataSubject, ({ account, session, params, query }) =>
    prepareDataSubjectExport(deps, { account, session }, { ...params, ...query }),
  )

  serveDownload(app, deps, dataSubjectDownload)

  serveAccount(app, deps, api.readErasure, async ({ account, params }) => ({
    erasure: await readErasure(account, params.erasureId),
  }))
}
