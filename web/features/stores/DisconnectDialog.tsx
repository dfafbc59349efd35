import { Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { storeTexts } from '../../../shared/access/stores.ts'
import { INSTEAD_OF_STORE } from '../../core/session/request.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { useDisconnect, useForgetStore } from './queries.ts'

interface Props {
  opened: boolean
  storeName: string
  /** Set when another store replaces it (A 4.4): connecting continues after any reply of the server. */
  isForAnother?: boolean
  onClose: () => void
}

export function DisconnectDialog({ opened, storeName, isForAnother = false, onClose }: Props) {
  const disconnect = useDisconnect()
  const forget = useForgetStore()
  const navigate = useNavigate()
  const isDone = ({ message }: { message: string }) => {
    announce(message)
    return navigate('/store-setup')
  }
  const goOn = () => {
    forget()
    return navigate(INSTEAD_OF_STORE, { state: { from: '/settings' } })
  }
  // A promise instead of a callback: the dialog unmounts with the store card before callbacks run.
  const start = () => disconnect.mutateAsync().then(isDone, isForAnother ? goOn : () => undefined)
  // Clear the old error when opened again.
  const close = () => {
    disconnect.reset()
    onClose()
  }
  return (
    <Confirm
      opened={opened}
      title={isForAnother ? 'Connect to Different Store' : 'Disconnect Store'}
      confirmLabel={isForAnother ? 'Disconnect and continue' : 'Disconnect Store'}
      isDangerous
      isBusy={disconnect.isPending}
      problem={disconnect.error && storeTexts.disconnectFailed}
      onConfirm={start}
      onClose={close}
    >
      {isForAnother && (
        <Text mb="sm">
          This disconnects {storeName} first. You can then connect the other store. To keep both, cancel and press
          “Connect another store”.
        </Text>
      )}
      <Text>
        Sending for {storeName} stops immediately, unsent messages are cancelled, and its keys are deleted. Its data is
        deleted after 30 days; reconnecting the same store before that restores it.
      </Text>
    </Confirm>
  )
}
