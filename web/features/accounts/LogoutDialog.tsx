import { useLogout } from '../../core/access/queries.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'

export const LOGOUT_QUESTION = 'Are you sure you want to log out?'

export function LogoutDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const logout = useLogout()
  return (
    <Confirm
      opened={opened}
      title="Log out"
      confirmLabel="Log out"
      isBusy={logout.isPending}
      onConfirm={() => logout.mutate()}
      onClose={onClose}
    >
      {LOGOUT_QUESTION}
    </Confirm>
  )
}
