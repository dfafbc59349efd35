import type { z } from 'zod'
import type { MailServerView } from '../../../shared/delivery/mail-server.ts'
import type { SendingState } from '../../../shared/delivery/sending.ts'
import type { TextChannelView } from '../../../shared/messages/text-channels.ts'
import type { BrandView } from '../../../shared/workspace/brand-calls.ts'
import type { Session } from '../../access/members/public.ts'
import * as sql from '../../access/stores/public.ts'
import { viewBrand } from '../../carts/brand/public.ts'
import { requireFound } from '../../core/common/public.ts'
import type { AccountDb, Db, StoreDb } from '../../core/db/public.ts'
import { isPublicName } from '../../core/net/public.ts'
import { viewThrottledDomains } from '../../delivery/deliverability/public.ts'
import { getDomain, type Proof, readProofs, viewMailServer } from '../../delivery/email/public.ts'
import { viewMailbox } from '../../delivery/mail-reports/public.ts'
import { viewChannels } from '../../delivery/texts/public.ts'
import type { Deps } from '../../deps.ts'

// Status of each screen under Settings, Sending, from stored results: this reads no DNS and asks no mail server.

type State = Omit<SendingState, 'id'>

export async function readSendingStates(
  deps: Deps,
  { session, account, store }: { session: Session; account: AccountDb<Db>; store: StoreDb<Db> },
): Promise<SendingState[]> {
  const [row, brand, mail, proofs, bounces, paused, texts] = await Promise.all([
    sql.readStore(store),
    viewBrand(store, account),
    viewMailServer(deps, account, session),
    readProofs(account),
    viewMailbox(account, session),
    viewThrottledDomains(account, deps.now()),
    viewChannels(deps, account, session, false),
  ])
  return [
    { id: 'sender', ...describeSender(requireFound(row, 'Store')) },
    { id: 'brand', ...describeBrand(brand) },
    { id: 'mail-server', ...describeMailServer(mail) },
    { id: 'domain', ...describeDomain(mail, proofs) },
    { id: 'bounces', ...describeBounces(deps, { mailbox: bounces.mailbox, paused: paused.length, route: mail.way }) },
    { id: 'sms', ...describeTextChannel(texts.sms) },
    { id: 'whatsapp', ...describeTextChannel(texts.whatsapp) },
  ]
}

const set = (text: string): State => ({ state: 'set', words: text })
const attention = (text: string): State => ({ state: 'attention', words: text })
const none = (text: string): State => ({ state: 'none', words: text })

function describeSender({ sender_name: name, postal_address: address }: sql.StoreRow): State {
  if (name && address) return set(`Emails come from ${name}.`)
  if (!name && !address) return none('Enter a sender name and a postal address to switch flows on.')
  return attention(name ? 'The postal address is missing.' : 'The sender name is missing.')
}

function describeBrand({ logo, version, proposal }: BrandView): State {
  if (proposal) return attention('A logo was found in your store. Confirm it to use it in emails.')
  if (logo) return set(version > 0 ? 'Emails use your logo and brand.' : 'Emails use your logo and the default design.')
  return version > 0
    ? set('Emails use your brand, with the store’s name instead of a logo.')
    : none('Emails use the default design, with the store’s name instead of a logo.')
}

function describeMailServer({ way: route, server, acceptedAt, isFixed }: MailServerView): State {
  if (isFixed) return set('The demo’s emails go to the built-in mailbox.')
  switch (route) {
    case 'own':
      if (server?.problem) return attention(`${server.host} is not accepting email: ${server.problem}`)
      return acceptedAt
        ? set(`Emails are sent through ${server?.host}. Test email sent.`)
        : attention(`Emails are sent through ${server?.host}. No test email sent yet.`)
    case 'server':
      return set(`Emails are sent through this installation’s mail server.${acceptedAt ? ' Test email sent.' : ''}`)
    case 'mailbox':
      return none('Emails go to the built-in mailbox, not to your shoppers.')
    case 'none':
      return attention('No mail server is set up, so no email is sent.')
  }
}

function describeDomain({ from, way: route }: MailServerView, proofs: readonly Proof[]): State {
  const domain = getDomain(from)
  if (!isPublicName(domain)) return none('Emails have no sender address with a real domain yet.')
  const proof = proofs.find(({ what, subject }) => what === 'domain' && subject === domain)
  if (!proof || route === 'mailbox') return none(`The records of ${domain} have not been checked yet.`)
  return proof.is_good
    ? set(`The records of ${domain} were correct when last checked.`)
    : attention(`Not all records of ${domain} were correct when last checked.`)
}

interface Bounces {
  mailbox: Awaited<ReturnType<typeof viewMailbox>>['mailbox']
  paused: number
  route: MailServerView['way']
}

function describeBounces({ config }: Pick<Deps, 'config'>, { mailbox, paused, route }: Bounces): State {
  if (mailbox?.problem) return attention(`The bounce mailbox cannot be read: ${mailbox.problem}`)
  if (paused > 0) {
    return attention(paused === 1 ? '1 email provider is paused.' : `${paused} email providers are paused.`)
  }
  if (mailbox) return set(`Bounces are sent to ${mailbox.address}.`)
  const isByServer = route === 'server' && (config.bounceAddress || config.mailEvents)
  return isByServer ? set('This installation processes bounces.') : none('Bounces are not processed.')
}

function describeTextChannel({ channel, state, template }: z.input<typeof TextChannelView>): State {
  const name = channel === 'sms' ? 'SMS' : 'WhatsApp'
  if (state === 'missing') return none(`${name} is not set up.`)
  if (state === 'operator') return set(`${name} is sent by this server’s own provider.`)
  if (state === 'sandbox') return none('Messages go to the built-in phones, not to your shoppers.')
  if (channel === 'whatsapp' && !template) return attention('No approved template is chosen yet.')
  return set(`${name} is ready to send.`)
}
