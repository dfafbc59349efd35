import { Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { MAX_REASON_LENGTH } from '../../../shared/workspace/operator.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'

interface Props {
  opened: boolean
  title: string
  text: string
  /** Label of the note stored with the action. */
  label: string
  hint?: string
  isRequired?: boolean
  isDangerous?: boolean
  confirmLabel: string
  mutation: { isPending: boolean; error: Error | null }
  onConfirm: (note: string) => void
  onClose: () => void
}

/** Confirms an action and asks for the note stored with it. */
export function NoteDialog({ isRequired = false, isDangerous = false, ...props }: Props) {
  const [note, setNote] = useState('')
  const close = () => {
    setNote('')
    props.onClose()
  }
  return (
    <Confirm
      opened={props.opened}
      title={props.title}
      confirmLabel={props.confirmLabel}
      isDangerous={isDangerous}
      isBusy={props.mutation.isPending}
      isDisabled={isRequired && note.trim() === ''}
      problem={props.mutation.error?.message}
      onConfirm={() => props.onConfirm(note.trim())}
      onClose={close}
    >
      <Text mb="md">{props.text}</Text>
      <Textarea
        data-autofocus
        label={props.label}
        description={props.hint}
        required={isRequired}
        withAsterisk={false}
        autosize
        minRows={2}
        maxLength={MAX_REASON_LENGTH}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </Confirm>
  )
}
