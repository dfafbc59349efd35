import { Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { storeTexts } from '../../shared/stores.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { useDisconnect } from './queries.ts'

interface Props {
  opened: boolean
  storeName: string
  onClose: () => void
}

export function DisconnectDialog({ opened, storeName, onClose }: Props) {
  const disconnect = useDisconnect()
  const navigate = useNavigate()
  // A promise and not a callback: the dialog goes with the store card before the answer is worked off.
  const start = () =>
    disconnect.mutateAsync().then(
      () => navigate('/store-setup'),
      () => undefined,
    )
  return (
    <Confirm
      opened={opened}
      title="Disconnect Store"
      confirmLabel="Disconnect Store"
      isDangerous
      isBusy={disconnect.isPending}
      problem={disconnect.error && storeTexts.disconnectFailed}
      onConfirm={start}
      onClose={onClose}
    >
      <Text>
        Sending for {storeName} stops at once, messages not yet sent are cancelled, and its keys are deleted. Its data
        is deleted after 30 days; connecting the same store before that brings it back.
      </Text>
    </Confirm>
  )
}
