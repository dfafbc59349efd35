import { Anchor, Stack } from '@mantine/core'
import { Link } from 'react-router'
import type { EndedStore } from '../../../shared/access/stores.ts'
import type { PlatformName } from '../../../shared/platforms/platforms.ts'
import { useEndedStore, useHasPermission } from '../../core/access/queries.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { formatDateTime } from '../../core/ui/times.ts'

/** Explains why the account has no store any more. */
export function EndedNotice() {
  const ended = useEndedStore()
  const mayRead = useHasPermission('carts:read')
  if (!ended) return null
  return (
    <Notice tone={ended.by === 'recoup' ? 'info' : 'warn'} title={formatEndedTitle(ended)}>
      <Stack gap={6} align="flex-start">
        {describeEnded(ended, formatDateTime)}
        {mayRead && (
          <Anchor component={Link} to="/notifications" fz="sm">
            Open its notifications
          </Anchor>
        )}
      </Stack>
    </Notice>
  )
}

// What happened to a disconnected store. Pure.

const texts: Record<PlatformName, { part: string; admin: string; again: string }> = {
  woocommerce: { part: 'plugin', admin: 'WordPress', again: 'Install the plugin again or connect with keys' },
  shopify: { part: 'app', admin: 'Shopify', again: 'Connect it again' },
}

export function formatEndedTitle({ name, store_url, platform, by }: EndedStore): string {
  const shop = name || store_url
  if (by === 'uninstall') return `The Recoup ${texts[platform].part} was removed from ${shop}`
  if (by === 'shop') return `${shop} was disconnected in ${texts[platform].admin}`
  if (by === 'other_account') return `${shop} was connected by another account`
  return `${shop} was disconnected`
}

/** `time` formats an instant. */
export function describeEnded(
  { platform, by, store_url, at, keptUntil }: EndedStore,
  time: (at: string) => string,
): string {
  const what = `Since ${time(at)} nothing is sent for ${store_url}.`
  if (by === 'other_account')
    return `${what} That account proved that it manages the shop. If it is yours, connect it with its API keys.`
  const again = by === 'uninstall' ? texts[platform].again : 'Connect it again'
  return `${what} ${again} before ${time(keptUntil)} to keep its carts, flows and reports; after that they are deleted.`
}
