import { List, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ERASE_WORD, type Erasure, type Person } from '../../shared/persons.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { useErasePerson } from './person-queries.ts'

interface Props {
  person: Person
  opened: boolean
  onClose: () => void
  onErasing: (erasure: Erasure) => void
}

export function ErasePerson(props: Props) {
  return props.opened ? <EraseDialog {...props} /> : null
}

function EraseDialog({ person, opened, onClose, onErasing }: Props) {
  const [typed, setTyped] = useState('')
  const erase = useErasePerson(person.address)
  const isTyped = typed.trim().toLowerCase() === ERASE_WORD
  const confirm = () => erase.mutate(typed, { onSuccess: onErasing })
  return (
    <Confirm
      opened={opened}
      title={`Erase ${person.names[0] ?? person.address}?`}
      confirmLabel="Erase for good"
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
          Within moments: names, addresses, numbers, the texts of messages and what was seen in the shop are erased, in
          all of your stores.
        </List.Item>
        <List.Item>
          What stays: carts, orders and revenue as numbers without a name, and a fingerprint of each address, so that
          nobody writes there again.
        </List.Item>
        <List.Item>Your shop keeps its own records. Erase the person there too.</List.Item>
      </List>
      <Text fz="sm" fw={550} my="md">
        Nobody can bring it back. Export it first if they asked for it.
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
