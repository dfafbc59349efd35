// A stranger at `/` is sent on before the app is loaded: what `web/access/access.ts` answers there without a token (A 4.1).
if (location.pathname === '/') {
  let token = null
  try {
    token = sessionStorage.getItem('token') ?? localStorage.getItem('token')
  } catch {
    // A browser that keeps nothing is nobody's yet.
  }
  if (token === null) location.replace('/landing')
}
