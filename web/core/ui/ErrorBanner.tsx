import { CloseButton, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Notice } from './Notice.tsx'

interface Props {
  onDismiss: () => void
  children: ReactNode
}

/** An error above the part it concerns, shown until dismissed. */
export const ErrorBanner = ({ onDismiss, children }: Props) => (
  <Notice tone="bad" title="Error" isLive>
    <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
      <span>{children}</span>
      <CloseButton size="sm" c="inherit" aria-label="Dismiss the error" onClick={onDismiss} />
    </Group>
  </Notice>
)
