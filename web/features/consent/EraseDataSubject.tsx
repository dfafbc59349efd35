import { List, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ERASE_WORD, type Erasure, eraseDataSubject, type Person } from '../../../shared/workspace/privacy.ts'
import { call } from '../../core/api/api.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'

interface Props {
  person: Person
  opened: boolean
  onClose: () => void
  onErasing: (erasure: Erasure) => void
}

export function EraseDataSubject(props: Props) {
  return props.opened ? <EraseDialog {...props} /> : null
}

function EraseDialog({ person, opened, onClose, onErasing }: Props) {
  const [typed, setTyped] = useState('')
  const erase = useEraseDataSubject(person.address)
  const isTyped = typed.trim().toLowerCase() === ERASE_WORD
  const confirm = () => erase.mutate(typed, { onSuccess: onErasing })
  return (
    <Confirm
      opened={opened}
      title={`Erase ${person.names[0] ?? person.address}?`}
      confirmLabel="Erase permanently"
      isDangerous
      isBusy={erase.isPending}
      isDisabled={!isTyped}
      problem={erase.error?.message}
      onConfirm={confirm}
      onClose={onClose}
    >
      <List fz="sm" spacing={6}>
        <List.Item>Right now: nothing more is sent to {person.addresses.join(', ')}.</List.Item>
        <List.Item>
          Within moments: names, addresses, numbers, message texts and browsing data are erased in all your stores.
        </List.Item>
        <List.Item>
          What stays: carts, orders and revenue as anonymous figures, and a fingerprint of each address, so that it is
          never contacted again.
        </List.Item>
        <List.Item>Your shop keeps its own records. Erase the person there too.</List.Item>
      </List>
      <Text fz="sm" fw={550} my="md">
        This cannot be undone. Export the data first if they asked for it.
      </Text>
      <TextInput
        label={`Type “${ERASE_WORD}” to confirm`}
        name="confirmation"
        autoComplete="off"
        autoCapitalize="none"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && isTyped && confirm()}
      />
    </Confirm>
  )
}

function useEraseDataSubject(address: string) {
  return useMutation({
    mutationFn: async (confirmation: string) =>
      (await call(eraseDataSubject, { params: { address }, body: { confirmation } })).erasure,
  })
}
