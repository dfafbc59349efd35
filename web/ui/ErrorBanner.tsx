import { CloseButton, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Notice } from './Notice.tsx'

interface Props {
  onDismiss: () => void
  children: ReactNode
}

/** What went wrong, above what it concerns, until somebody has read it. */
export const ErrorBanner = ({ onDismiss, children }: Props) => (
  <Notice tone="bad" title="Error" isLive>
    <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
      <span>{children}</span>
      <CloseButton size="sm" c="inherit" aria-label="Dismiss the error" onClick={onDismiss} />
    </Group>
  </Notice>
)
