import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Notice } from './Notice.tsx'

interface Props {
  opened: boolean
  title: string
  confirmLabel: string
  /** Replaces "Cancel" where it could be mistaken for the confirmed action. */
  cancelLabel?: string
  isDangerous?: boolean
  isBusy?: boolean
  isDisabled?: boolean
  /** Why the last attempt failed; the dialog stays open. */
  problem?: string | null | undefined
  size?: string
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}

export function Confirm(props: Props) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.title}
      centered
      size={props.size ?? 'md'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="lg">
        <div>{props.children}</div>
        {props.problem && (
          <Notice tone="bad" isLive>
            {props.problem}
          </Notice>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={props.onClose}>
            {props.cancelLabel ?? 'Cancel'}
          </Button>
          <Button
            {...(props.isDangerous && { color: 'red' })}
            loading={props.isBusy ?? false}
            disabled={props.isDisabled ?? false}
            onClick={props.onConfirm}
          >
            {props.confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
