import { Button, type ButtonProps } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'

/** Requests a download link and follows it, so the browser streams files of any size to disk. */
export const useDownload = <Input = void>(prepare: (input: Input) => Promise<{ url: string }>) =>
  useMutation({ mutationFn: prepare, onSuccess: ({ url }) => save(url) })

function save(url: string) {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}

interface Props extends Pick<ButtonProps, 'size' | 'disabled'> {
  label?: string
  isBusy: boolean
  onClick: () => void
}

export const DownloadButton = ({ label = 'Export CSV', size = 'sm', isBusy, ...props }: Props) => (
  <Button
    variant="default"
    size={size}
    leftSection={<IconDownload size={size === 'xs' ? 14 : 16} aria-hidden />}
    loading={isBusy}
    {...props}
  >
    {label}
  </Button>
)
