import { domainToASCII } from 'node:url'
import type { OutgoingEmail } from '../../messages/channels/channel.ts'
import type { Config } from '../../core/config/config.ts'
import type { Deps } from '../../deps.ts'
import { openBounceAddresses } from './bounce-addresses.ts'
import { signerOf } from './dkim.ts'
import { returnPathOf } from './return-path.ts'
import { openSigningKeys } from './sender-keys.ts'
import type { MailHeaders } from './smtp-message.ts'

// What every mail of this server gets on its way out, whoever wrote it: a return address of its own, a signature, and the mark by
// which the mail provider's reports name it.

type MailHeadersDeps = Pick<Deps, 'db' | 'secrets' | 'now' | 'config'>

export function openMailHeaders(deps: MailHeadersDeps): (message: OutgoingEmail) => Promise<MailHeaders> {
  const keyOf = openSigningKeys(deps)
  const mailboxOf = openBounceAddresses(deps)
  const { bounceAddress, mailEvents } = deps.config
  return async ({ from, messageId, accountId }) => {
    const mailbox = accountId ? await mailboxOf(accountId) : null
    const key = await keyOf(domainOf(from.address))
    return {
      returnPath: mailbox ?? (bounceAddress ? returnPathOf(deps.secrets, bounceAddress, messageId) : null),
      headers: mailEvents ? markFor(mailEvents.provider, messageId) : {},
      sign: key && signerOf(key),
    }
  }
}

export const domainOf = (address: string): string =>
  domainToASCII(address.slice(address.lastIndexOf('@') + 1)).toLowerCase()

/** Two providers report under ids of their own; this makes them say ours as well. The others keep the Message-ID. */
function markFor(provider: NonNullable<Config['mailEvents']>['provider'], messageId: string): Record<string, string> {
  if (provider === 'postmark') return { 'X-PM-Metadata-recoup': messageId }
  if (provider === 'ses') return { 'X-SES-MESSAGE-TAGS': `recoup=${messageId}` }
  return {}
}
