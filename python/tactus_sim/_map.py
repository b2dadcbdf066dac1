"""map: a function over many rows on processes or machines, through joblib."""

import concurrent.futures.process


def _numbered(fn, i, row):
    return i, fn(row)


def map(fn, rows, backend="loky", workers=-1, retries=3):
    """[fn(row) for row in rows] on the workers of a joblib backend: 'loky' (processes), 'threading',
    'dask' or 'ray' where those are set up. Results come in the order of the rows.

    A worker that dies takes its backend with it; finished rows are kept, the others are sent again,
    `retries` times. Models travel as bytes. An exception of fn itself is raised.

    >>> tac.map(simulate, seeds)
    """
    rows = list(rows)
    if backend == "serial":
        return [fn(row) for row in rows]
    import joblib
    done, left = {}, list(range(len(rows)))
    for attempt in range(retries + 1):
        try:
            with joblib.parallel_config(backend=backend, n_jobs=workers):
                tasks = (joblib.delayed(_numbered)(fn, i, rows[i]) for i in left)
                for i, result in joblib.Parallel(return_as="generator_unordered")(tasks):
                    done[i] = result
        except (concurrent.futures.process.BrokenProcessPool, _terminated()) as error:
            if attempt == retries:
                raise RuntimeError(f"{len(rows) - len(done)} of {len(rows)} rows are lost: workers "
                                   f"died {retries + 1} times") from error
        left = [i for i in left if i not in done]
        if not left:
            break
    return [done[i] for i in range(len(rows))]


def _terminated():
    from joblib.externals.loky.process_executor import TerminatedWorkerError
    return TerminatedWorkerError
