import { notifications } from '@mantine/notifications'

/** A short word that something was done; failures stay where they happened. */
export const announce = (message: string) => notifications.show({ message, color: 'brand', autoClose: 4_000 })
