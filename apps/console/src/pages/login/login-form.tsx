import { type ReactElement, type SubmitEvent, useEffect, useState } from 'react';
import { loadOffer, signIn, type SignInResult } from '../../api/session.ts';
import { login } from '../../messages/login.ts';
import { keepReturnAddress } from '../../navigation/return-address.ts';

/** Signs in with a token, or leads to the OpenID provider; `inNewTab`: so that this page stays. */
export function LoginForm({ inNewTab = false }: { readonly inNewTab?: boolean }): ReactElement {
  const [token, setToken] = useState('');
  const [result, setResult] = useState<SignInResult>('SignedIn');
  const [isBusy, setBusy] = useState(false);
  const [hasOpenId, setOpenId] = useState(false);
  useEffect(() => void loadOffer().then(({ openId }) => setOpenId(openId)), []);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setResult(await signIn(token.trim()));
    setBusy(false);
  };
  return (
    <form className="login-form" onSubmit={(event) => void submit(event)}>
      <label>
        {login.token}
        <input
          className="field"
          type="password"
          name="token"
          autoComplete="current-password"
          spellCheck={false}
          required
          value={token}
          aria-describedby="login-hint"
          onChange={({ target }) => setToken(target.value)}
        />
      </label>
      <p id="login-hint" className="quiet">
        {login.hint}
      </p>
      {result === 'SignedIn' ? null : (
        <p className="problem" role="alert">
          {login.results[result]}
        </p>
      )}
      <button type="submit" className="button button-primary" disabled={isBusy || token.trim() === ''}>
        {isBusy ? login.busy : login.submit}
      </button>
      {hasOpenId ? <OpenIdLink inNewTab={inNewTab} /> : null}
    </form>
  );
}

function OpenIdLink({ inNewTab }: { readonly inNewTab: boolean }): ReactElement {
  return (
    <>
      <p className="login-or quiet">{login.or}</p>
      <a
        className="button"
        href="/auth/login"
        onClick={inNewTab ? undefined : keepReturnAddress}
        {...(inNewTab ? { target: '_blank', rel: 'noopener' } : {})}
      >
        {login.openId}
      </a>
      {inNewTab ? <p className="quiet">{login.again}</p> : null}
    </>
  );
}
