"""Graphs of a given number of statements, from a fixed seed."""

import random
from pathlib import Path

E = "http://example.org/e/"
V = "http://example.org/v/"
S = "http://example.org/st/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"
B = "https://w3id.org/bfsql#"
CHAIN = 10_000
STATUSES = ["asserted_true"] * 18 + ["disputed", "retracted"]


def generate(path: Path, statements: int, seed: int = 7, style: str = "reifier") -> None:
    """Write an N-Triples file: typed, labelled entities, one for five statements; hubs; a chain; a village.

    The village is a small community whose answer is the same whatever the size of the graph around it.
    `style` is "reifier" (RDF 1.2) or "reification" (rdf:Statement, for readers without triple terms).
    """
    rng = random.Random(seed)
    entities = max(statements // 5, 10)
    with open(path, "w", encoding="utf-8") as file:

        def entity(name: str, number: int) -> None:
            file.write(f"<{E}{name}> <{RDF}type> <{V}T{number % 20}> .\n")
            file.write(f'<{E}{name}> <{RDFS}label> "Entity {name}" .\n')
            file.write(f'<{E}{name}> <{V}year> "{1900 + number % 120}"^^<{XSD}integer> .\n')

        def statement(key: str, s: str, p: str, o: str, random_: random.Random) -> None:
            triple = f"<{E}{s}> <{V}{p}> <{E}{o}>"
            st = f"<{S}{key}>"
            file.write(f"{triple} .\n")
            if style == "reifier":
                file.write(f"{st} <{RDF}reifies> <<( {triple} )>> .\n")
            else:
                for part, term in (("subject", f"{E}{s}"), ("predicate", f"{V}{p}"), ("object", f"{E}{o}")):
                    file.write(f"{st} <{RDF}{part}> <{term}> .\n")
            file.write(f'{st} <{B}truthStatus> "{random_.choice(STATUSES)}" .\n')
            file.write(f'{st} <{B}position> "{random_.randrange(1000)}"^^<{XSD}integer> .\n')
            file.write(f'{st} <{B}extractionMethod> "manual" .\n')
            file.write(f'{st} <{V}confidence> "{random_.random():.2f}"^^<{XSD}decimal> .\n')

        for number in range(entities):
            entity(str(number), number)
        for number in range(statements):
            target = int(entities * rng.random() ** 3)
            statement(str(number), str(rng.randrange(entities)), f"p{rng.randrange(30)}", str(target), rng)
        village = random.Random(1)
        for number in range(40):
            entity(f"village{number}", number)
            for other in range(3):
                to = village.randrange(40)
                statement(f"v{number}-{other}", f"village{number}", f"p{other}", f"village{to}", village)
        for number in range(min(CHAIN, statements)):
            file.write(f"<{E}chain{number}> <{V}partOf> <{E}chain{number + 1}> .\n")
