import * as api from '../../../shared/delivery/reminders.ts'
import { previewMessage as messagePreview, testSend } from '../../../shared/marketing/message-preview.ts'
import { type Routes, readIdempotencyKey, type StoreCall, serveAccount, serveStore } from '../../access/http/public.ts'
import { AppError } from '../../core/common/public.ts'
import { previewMessage } from '../../delivery/preview/preview.ts'
import { readBudget, saveBudget } from '../../delivery/texts/public.ts'
import { readLastMessage } from '../../messages/messages/public.ts'
import { readJob, retryJob, sendBulk, startJob } from './bulk-sends.ts'
import { readEligibility } from './eligibility.ts'
import type { IdempotentRequest } from './idempotency.ts'
import { readSmsStatus, sendManually } from './manual.ts'
import { sendTest } from './test-send.ts'

// Manual sends: single, bulk, scheduled, and tests to oneself (B 7, D9, D11).

export const manualRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.sendEmail, (call) => {
    const { cart_id: cartId, to, subject, body, design, overrideHoldout } = call.body
    const input = { cartId, channel: 'email' as const, to, subject, body, design, overrideHoldout, sendAt: null }
    return sendManually(deps, call.store, idempotentRequest(call), input)
  })

  serveStore(app, deps, api.scheduleReminder, (call) => {
    const { cartId, reminderType, subject, body, design, overrideHoldout, delayHours } = call.body
    const sendAt = parseSendTime(deps.now(), { ...call.body, delayHours })
    if (!sendAt) throw invalidDateError()
    const templateKey = `${reminderType}_reminder`
    const input = { cartId, channel: 'email' as const, subject, body, design, templateKey, overrideHoldout, sendAt }
    return sendManually(deps, call.store, idempotentRequest(call), input)
  })

  serveStore(app, deps, api.sendSms, (call) => {
    const { cartId, body, overrideHoldout } = call.body
    const input = { cartId, channel: 'sms' as const, body, overrideHoldout, sendAt: null }
    return sendManually(deps, call.store, idempotentRequest(call), input)
  })

  serveStore(app, deps, api.smsStatus, ({ store, params }) => readSmsStatus(store, params.cartId))

  serveStore(app, deps, api.lastMessage, ({ store, params }) => readLastMessage(store, params.id))

  serveStore(app, deps, api.sendWhatsapp, (call) => {
    const { cartId, overrideHoldout } = call.body
    const input = { cartId, channel: 'whatsapp' as const, overrideHoldout, sendAt: null }
    return sendManually(deps, call.store, idempotentRequest(call), input)
  })

  serveStore(app, deps, api.sendWhatsappBulk, (call) => {
    const { cartIds } = call.body
    const input = { channel: 'whatsapp' as const, cartIds, sendAt: null, overrideHoldout: false }
    return sendBulk(deps, call.store, idempotentRequest(call), input)
  })

  serveStore(app, deps, api.cartEligibility, ({ store, body }) => readEligibility(deps, store, body))

  serveStore(app, deps, api.sendToCarts, (call) => {
    const { sendAt, ...input } = call.body
    const at = sendAt === undefined ? null : parseSendTime(deps.now(), { sendAt })
    return startJob(deps, call.store, idempotentRequest(call), { ...input, sendAt: at })
  })

  serveStore(app, deps, api.readBulkSend, ({ store, params, query }) => readJob(store, params.jobId, query))

  serveStore(app, deps, api.retryBulkSend, ({ store, params, session }) =>
    retryJob(deps, store, params.jobId, session.userId),
  )

  serveStore(app, deps, messagePreview, ({ store, body, request }) =>
    previewMessage({ deps, store, signal: request.signal }, body),
  )

  serveStore(app, deps, testSend, ({ store, account, session, body }) =>
    sendTest({ deps, session, account, store }, body),
  )

  serveAccount(app, deps, api.readBudget, ({ account }) => readBudget(deps, account))

  serveAccount(app, deps, api.saveBudget, async ({ account, session, body }) => {
    if (session.isDemo) throw new AppError('forbidden', 'The budget of the demo cannot be changed.')
    return saveBudget(deps, account, body.monthly)
  })
}

/** Includes the path: a key belongs to one request. */
export function idempotentRequest({
  session,
  account,
  request,
  body,
  store,
}: StoreCall<unknown, unknown, unknown>): IdempotentRequest {
  return {
    session,
    account,
    key: readIdempotencyKey(request),
    body: { path: request.routeOptions.url, storeId: store.storeId, body },
  }
}

const YEAR_MS = 366 * 86_400_000
/** Tolerates a browser clock that runs behind: a "now" from it still counts as now. */
const LATE_MS = 60_000

/** null: no time in the request. Throws for a time in the past or too far away. */
function parseSendTime(
  now: Date,
  { delayHours, sendAt }: { delayHours?: number | undefined; sendAt?: string | undefined },
) {
  if (sendAt === undefined) return delayHours === undefined ? null : new Date(now.getTime() + delayHours * 3_600_000)
  const at = new Date(sendAt)
  const aheadMs = at.getTime() - now.getTime()
  if (!(aheadMs > -LATE_MS && aheadMs <= YEAR_MS)) throw invalidDateError()
  return aheadMs < 0 ? now : at
}

const invalidDateError = () =>
  new AppError('invalid', api.reminderTexts.badDate, {
    fields: { sendAt: api.reminderTexts.badDate },
  })
