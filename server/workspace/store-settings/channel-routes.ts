import { hasPermission } from '../../../shared/access/roles.ts'
import * as mailboxApi from '../../../shared/delivery/bounce-mailbox.ts'
import * as mailServerApi from '../../../shared/delivery/mail-server.ts'
import * as api from '../../../shared/messages/text-channels.ts'
import { type AccountCall, type Routes, serveAccount } from '../../access/http/public.ts'
import * as mailServers from '../../delivery/email/public.ts'
import * as mailbox from '../../delivery/mail-reports/public.ts'
import * as credentials from '../../delivery/texts/public.ts'
import type { TextChannelName } from '../../messages/channels/public.ts'

// Endpoints for SMS, WhatsApp and the bounce mailbox.

export const channelRoutes: Routes = (app, deps) => {
  const view = ({ account, session }: AccountCall<unknown, unknown, unknown>, channel: TextChannelName) =>
    credentials.viewChannel(deps, account, session, { channel, mayLead: hasPermission(session.role, 'flows:switch') })

  serveAccount(app, deps, api.readTextChannels, ({ account, session }) =>
    credentials.viewChannels(deps, account, session, hasPermission(session.role, 'flows:switch')),
  )

  serveAccount(app, deps, api.saveSmsChannel, async (call) => {
    await credentials.saveSms(deps, call.account, call.session, call.body)
    return view(call, 'sms')
  })

  serveAccount(app, deps, api.saveWhatsappChannel, async (call) => {
    await credentials.saveWhatsapp(deps, call.account, call.session, call.body)
    return view(call, 'whatsapp')
  })

  serveAccount(app, deps, api.chooseWhatsappTemplate, async (call) => {
    await credentials.chooseTemplate(deps, call.account, call.session, call.body)
    return view(call, 'whatsapp')
  })

  serveAccount(app, deps, api.refreshWhatsappTemplates, async (call) => {
    await credentials.refreshTemplates(deps, call.account)
    return view(call, 'whatsapp')
  })

  serveAccount(app, deps, api.removeSmsChannel, async (call) => {
    await credentials.removeChannel(deps, call.account, call.session, 'sms')
    return view(call, 'sms')
  })

  serveAccount(app, deps, mailboxApi.readBounceMailbox, ({ account, session }) => mailbox.viewMailbox(account, session))

  serveAccount(app, deps, mailboxApi.saveBounceMailbox, async ({ account, session, body }) => {
    await mailbox.saveMailbox(deps, account, session, body)
    return mailbox.viewMailbox(account, session)
  })

  serveAccount(app, deps, mailboxApi.removeBounceMailbox, async ({ account, session }) => {
    await mailbox.removeMailbox(account, session)
    return mailbox.viewMailbox(account, session)
  })

  serveAccount(app, deps, mailServerApi.readMailServer, ({ account, session }) =>
    mailServers.viewMailServer(deps, account, session),
  )

  serveAccount(app, deps, mailServerApi.saveMailServer, async ({ account, session, body }) => {
    await mailServers.saveServer(deps, account, session, body)
    return mailServers.viewMailServer(deps, account, session)
  })

  serveAccount(app, deps, mailServerApi.removeMailServer, async ({ account, session }) => {
    await mailServers.removeServer(deps, account, session)
    return mailServers.viewMailServer(deps, account, session)
  })

  serveAccount(app, deps, api.removeWhatsappChannel, async (call) => {
    await credentials.removeChannel(deps, call.account, call.session, 'whatsapp')
    return view(call, 'whatsapp')
  })
}
