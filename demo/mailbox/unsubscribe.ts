// What a mail provider does when a reader presses its "Unsubscribe" button (RFC 8058): one POST, no cookie, no redirect.

/** Posts the one-click unsubscribe; answers in words either way. */
export async function postOneClick(url: string): Promise<{ isOk: boolean; answer: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    })
    await response.body?.cancel()
    return { isOk: response.ok, answer: `answered ${response.status}` }
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    return { isOk: false, answer: isTimeout ? 'did not answer within 10 seconds' : 'could not be reached' }
  }
}
