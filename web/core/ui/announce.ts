import { notifications } from '@mantine/notifications'

/** A toast for a success, or for a failure that has no place of its own on screen. */
export const announce = (message: string, tone: 'good' | 'bad' = 'good') =>
  notifications.show({
    message,
    color: tone === 'good' ? 'brand' : 'red',
    autoClose: tone === 'good' ? 4_000 : 10_000,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  })
