import { notifications } from '@mantine/notifications'

/** A short word that something was done, or that it was not and stands nowhere else; failures else stay where they happened. */
export const announce = (message: string, tone: 'good' | 'bad' = 'good') =>
  notifications.show({
    message,
    color: tone === 'good' ? 'brand' : 'red',
    autoClose: tone === 'good' ? 4_000 : 10_000,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  })
