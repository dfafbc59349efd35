import { Button, Group, Stack } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import type { CartView, RestorableCart } from '../../shared/carts.ts'
import { restoreTexts } from '../../shared/restore.ts'
import { ApiError } from '../api.ts'
import { Failed } from '../ui/Failed.tsx'
import { Notice } from '../ui/Notice.tsx'
import { isOnOffer } from './rules.ts'
import type { Restoring } from './use-restoring.ts'

/** Two buttons (A1): continue to the store's filled checkout, or first see what is restored. */
export function RestoreButtons({ restoring, cart }: { restoring: Restoring; cart: RestorableCart | CartView }) {
  const { pressed, isBusy, press } = restoring
  const isEmpty = cart.items.length === 0
  return (
    <Group gap="sm" className="restore-buttons">
      {isOnOffer(cart) ? (
        <Button
          size="md"
          loading={isBusy && pressed === 'continue'}
          disabled={isBusy}
          rightSection={<IconArrowRight size={18} aria-hidden />}
          onClick={() => press('continue')}
        >
          Continue to checkout
        </Button>
      ) : (
        'shopUrl' in cart && (
          <Button component="a" href={cart.shopUrl} rel="noreferrer" size="md">
            Go to the shop
          </Button>
        )
      )}
      <Button
        size="md"
        variant="default"
        loading={isBusy && pressed === 'restore'}
        disabled={isBusy || isEmpty}
        onClick={() => press('restore')}
      >
        Restore Cart
      </Button>
    </Group>
  )
}

/** The items stay in this browser whatever the server answers; failures are shown beside them. */
export function RestoreFailed({ restoring: { error, retry } }: { restoring: Restoring }) {
  if (!error) return null
  const isRefused = error instanceof ApiError && !error.isOutage && error.status !== 429
  if (isRefused) {
    return (
      <Notice tone="bad" isLive>
        {error.status === 404 ? restoreTexts.notFound : error.message}
      </Notice>
    )
  }
  return (
    <Stack gap="sm">
      <Notice tone="good" isLive>
        {restoreTexts.restored}
      </Notice>
      <Failed title="Your checkout could not be prepared" error={error} onRetry={retry} />
    </Stack>
  )
}
