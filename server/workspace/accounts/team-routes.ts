import * as own from '../../../shared/workspace/account.ts'
import * as api from '../../../shared/workspace/team.ts'
import { prepareDownload, type Routes, serveAccount, serveDownload, servePublic } from '../../access/http/public.ts'
import { assertPlainName, refuseDemo } from '../../access/members/public.ts'
import { accountExport } from './export.ts'
import { acceptInvitation, inviteMember, readInvitation, resendInvitation, revokeInvitation } from './invitations.ts'
import { deleteAccount } from './removal.ts'
import { getOrigin, rememberDevice } from './routes.ts'
import { changeRole, leaveTeam, listAccounts, removeMember, switchAccount, viewTeam } from './team.ts'
import { setAccountName } from './team-sql.ts'

// Endpoints of the account and its members.

export const teamRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.readTeam, ({ account, session }) => viewTeam(account, session, deps.now()))

  serveAccount(app, deps, api.inviteMember, async ({ account, session, body }) =>
    done(await inviteMember(deps, account, session, body)),
  )

  serveAccount(app, deps, api.resendInvitation, async ({ account, session, params }) =>
    done(await resendInvitation(deps, account, session, params.invitationId)),
  )

  serveAccount(app, deps, api.revokeInvitation, async ({ account, session, params }) =>
    done(await revokeInvitation(account, session, params.invitationId)),
  )

  serveAccount(app, deps, api.changeRole, async ({ account, session, params, body }) =>
    done(await changeRole(account, session, params.userId, body.role)),
  )

  serveAccount(app, deps, api.removeMember, async ({ account, session, params }) =>
    done(await removeMember(deps, account, session, params.userId)),
  )

  serveAccount(app, deps, api.leaveTeam, async ({ account, session }) => done(await leaveTeam(account, session)))

  servePublic(app, deps, api.readInvitation, ({ body, request, session }) =>
    readInvitation(deps, { token: body.token, ip: request.ip }, session),
  )

  servePublic(app, deps, api.acceptInvitation, async ({ body, request, reply, session }) =>
    rememberDevice(deps, reply, await acceptInvitation(deps, { ...body, ...getOrigin(request) }, session)),
  )

  serveAccount(app, deps, api.listAccounts, async ({ account, session }) => ({
    accounts: await listAccounts(account, session),
  }))

  serveAccount(app, deps, api.switchAccount, async ({ session, body }) => ({
    message: await switchAccount(deps, session, body.accountId),
  }))

  serveAccount(app, deps, own.renameAccount, async ({ account, session, body }) => {
    refuseDemo(session)
    assertPlainName(body.name, 'name')
    await setAccountName(account, body.name)
    return { success: true as const }
  })

  serveAccount(app, deps, own.prepareExport, ({ session }) =>
    prepareDownload(deps, accountExport, { session, what: {} }),
  )

  serveDownload(app, deps, accountExport)

  serveAccount(app, deps, own.deleteAccount, async ({ account, session, body }) => {
    await deleteAccount(deps, account, session, body)
    return { message: 'Your account is deleted.' }
  })
}

const done = (message: string) => ({ success: true as const, message })
