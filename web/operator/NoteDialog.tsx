import { Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { MAX_REASON_LENGTH } from '../../shared/operator.ts'
import { Confirm } from '../ui/Confirm.tsx'

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
  onConfirm: (words: string) => void
  onClose: () => void
}

/** Confirms an action and asks for the note stored with it. */
export function NoteDialog({ isRequired = false, isDangerous = false, ...props }: Props) {
  const [words, setWords] = useState('')
  const close = () => {
    setWords('')
    props.onClose()
  }
  return (
    <Confirm
      opened={props.opened}
      title={props.title}
      confirmLabel={props.confirmLabel}
      isDangerous={isDangerous}
      isBusy={props.mutation.isPending}
      isDisabled={isRequired && words.trim() === ''}
      problem={props.mutation.error?.message}
      onConfirm={() => props.onConfirm(words.trim())}
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
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
    </Confirm>
  )
}
